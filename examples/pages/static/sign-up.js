const phone = document.querySelector('countersign-phone')
const outcome = document.getElementById('outcome')

phone.addEventListener('verified', async (event) => {
  event.preventDefault() // The element shows the outcome once our server has decided.
  try {
    const { user } = await finish()
    phone.accept()
    outcome.textContent = `${user} is verified, and you are logged in.`
  } catch {
    phone.reject('We could not verify your number. Please try again.')
  }
})

/** Asks our server, which decides by its webhook alone. The webhook may be slower than this page. */
async function finish() {
  for (let tries = 0; tries < 10; tries += 1) {
    const answer = await fetch('/sign-up/finish', { method: 'POST' })
    if (answer.status === 200) return answer.json()
    if (answer.status !== 202) throw new Error(`status ${answer.status}`)
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
  throw new Error('no webhook')
}
