// Changes an app's settings in the console, as an operator does.

/** Opens the editor of a setting and types a value. */
export async function edit({ page }, name, value) {
  await page.getByRole('button', { name: `Change: ${name}`, exact: true }).click()
  await page.getByLabel(name, { exact: true }).fill(value)
}

export async function save({ page }) {
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved. It applies from now on.').waitFor()
}

/** Returns the settings of the app `shop`. */
export async function settings(server) {
  const { out } = await server.run('app', 'show', 'shop', '--json')
  return JSON.parse(out)
}
