const login = document.querySelector('countersign-login')

// By default, the texts are those for an app with a scanner.
login.texts = {
  stepOpen: 'Open your phone’s camera',
  stepScan: 'Point it at this code',
  stepPoint: 'Open the link',
  onThisPhone: 'Log in with this phone',
  openApp: 'Continue',
  scannedHere: 'Opened. Confirm there, then come back here.',
}

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
