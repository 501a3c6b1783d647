const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]))

const { user } = await (await fetch('/account')).json()
part.guest.hidden = Boolean(user)
part.account.hidden = !user
part.user.textContent = part.name.textContent = user

const setup = document.querySelector('countersign-setup')
part.setUp.addEventListener('click', setUp)
setup.addEventListener('renew', setUp) // The user wants another link.
setup.addEventListener('completed', async () => say(await fetch('/phones/finish', { method: 'POST' })))

/** Shows the link that sets a phone up. */
async function setUp() {
  const answer = await fetch('/phones', { method: 'POST' })
  setup.hidden = !answer.ok
  if (answer.ok) setup.registration = await answer.json()
  else await say(answer)
}

part.pair.addEventListener('submit', async (event) => {
  event.preventDefault()
  await say(await fetch('/phone-keys', { method: 'POST', body: part.key.value }))
})

async function say(answer) {
  part.paired.textContent = answer.ok ? 'Your phone can log you in now. Log out, and try it.' : await answer.text()
}

part.logOut.addEventListener('click', async () => {
  await fetch('/log-out', { method: 'POST' })
  location.reload()
})
