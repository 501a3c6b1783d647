const login = document.querySelector('countersign-login')

login.addEventListener('confirmed', async (event) => {
  event.preventDefault() // The element shows the outcome once our server has decided.
  try {
    // Our server verifies who confirmed, and that this browser opened the login.
    const answer = await fetch('/login', { method: 'POST', body: JSON.stringify(event.detail) })
    if (!answer.ok) throw new Error(`status ${answer.status}`)
    location.assign('/')
  } catch {
    login.reject('No account here belongs to this phone.')
  }
})
