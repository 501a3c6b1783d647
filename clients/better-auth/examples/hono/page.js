import { createAuthClient } from 'better-auth/client'

import { countersignClient } from '@countersign/better-auth/client'

const authClient = createAuthClient({ plugins: [countersignClient()] })
const part = Object.fromEntries([...document.querySelectorAll('[id]')].map((element) => [element.id, element]))

const { data: session } = await authClient.getSession()
const sections = { '/sign-in': 'signIn', '/login': 'login' }
part[sections[location.pathname] ?? (session ? 'account' : 'guest')].hidden = false
if (session) {
  part.number.textContent = session.user.phoneNumber
  part.userId.textContent = session.user.id
}

// Sign up or in with a text.
part.text.addEventListener('verified', async (event) => {
  event.preventDefault() // The element shows the outcome once our server has decided.
  const { data } = await authClient.countersign.waitForText()
  if (!data) return part.text.reject()
  part.text.accept()
  // Another person may have seen the code, and have sent the text.
  part.senderNumber.textContent = data.phoneNumber
  part.sender.hidden = false
})
part.isMine.addEventListener('click', async () => {
  const { data, error } = await authClient.signIn.text.finish({})
  part.sender.hidden = true
  if (data) location.assign('/')
  else if (error.code === 'STRONGER_SIGN_IN_REQUIRED') part.outcome.textContent = 'This number has an account. Log in with your phone.'
  else part.outcome.textContent = 'We could not sign you in. Please try again.'
})

// Log in with the phone.
part.code.addEventListener('confirmed', async (event) => {
  event.preventDefault()
  const { data } = await authClient.signIn.code.finish(event.detail)
  if (data) location.assign('/')
  else part.code.reject('No account here belongs to this phone.')
})

// A user who is logged in changes the number, and registers a phone.
part.change.addEventListener('verified', async (event) => {
  event.preventDefault()
  const { data, error } = await authClient.countersign.waitForNumber()
  if (!data) return part.change.reject(error.code === 'PHONE_NUMBER_EXIST' ? 'Another account has this number.' : undefined)
  part.change.accept()
  part.number.textContent = data.user.phoneNumber
})
part.pair.addEventListener('submit', async (event) => {
  event.preventDefault()
  const { publicKey, signature } = JSON.parse(part.key.value)
  const { error } = await authClient.countersign.keys.register({ publicKey, signature })
  part.paired.textContent = error ? error.message : 'Your phone can log you in now. Log out, and try it.'
})
part.signOut.addEventListener('click', async () => {
  await authClient.signOut()
  location.assign('/')
})
