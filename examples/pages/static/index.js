const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]))

const { user } = await (await fetch('/account')).json()
part.guest.hidden = Boolean(user)
part.account.hidden = !user
part.user.textContent = part.name.textContent = user

part.pair.addEventListener('submit', async (event) => {
  event.preventDefault()
  const answer = await fetch('/phone-keys', { method: 'POST', body: part.key.value })
  part.paired.textContent = answer.ok ? 'Your phone can log you in now. Log out, and try it.' : await answer.text()
})

part.logOut.addEventListener('click', async () => {
  await fetch('/log-out', { method: 'POST' })
  location.reload()
})
