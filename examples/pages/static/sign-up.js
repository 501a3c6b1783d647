const phone = document.querySelector('countersign-phone')
const outcome = document.getElementById('outcome')

phone.addEventListener('verified', async (event) => {
  event.preventDefault() // The element shows the outcome once our server has decided.
  try {
    const answer = await finish()
    if (answer.status === 409) {
      return phone.reject('This number has an account. Log in with your phone.', { text: 'Log in', href: '/login' })
    }
    const { user } = await answer.json()
    phone.accept()
    outcome.textContent = `${user} is verified, and you are logged in.`
  } catch {
    phone.reject('We could not verify your number. Please try again.')
  }
})

/** Asks our server, which decides only by its webhook. The webhook may be slower than this page. */
async function finish() {
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = await fetch('/sign-up/finish', { method: 'POST' })
    if ([200, 409].includes(answer.status)) return answer
    if (answer.status !== 202) throw new Error(`status ${answer.status}`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  throw new Error('no webhook')
}
