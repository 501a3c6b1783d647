import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'

import { LogIn, SignUp } from './Account.jsx'

function Page() {
  const [outcome, setOutcome] = useState('')
  if (outcome) return <p role="status">{outcome}</p>
  if (location.hash === '#sign-up') return <SignUp onSignUp={() => setOutcome('Signed up')} />
  return <LogIn onLogin={() => setOutcome('Logged in')} />
}

createRoot(document.getElementById('root')).render(<StrictMode><Page /></StrictMode>)
