import { CountersignLogin, CountersignPhone } from '@countersign/widget/react'

export function LogIn({ onLogin }) {
  async function confirmed(event) {
    const login = event.currentTarget
    event.preventDefault() // The element shows the outcome once your server has decided.
    const answer = await fetch('/login', { method: 'POST', body: JSON.stringify(event.detail) })
    if (answer.ok) onLogin()
    else login.reject('This account is locked.')
  }

  return (
    <CountersignLogin
      service={import.meta.env.VITE_COUNTERSIGN_URL}
      appKey={import.meta.env.VITE_COUNTERSIGN_APP_KEY}
      onConfirmed={confirmed}
    />
  )
}

export function SignUp({ onSignUp }) {
  async function verified(event) {
    const phone = event.currentTarget
    event.preventDefault()
    const answer = await fetch('/sign-up/finish', { method: 'POST' })
    if (answer.ok) onSignUp()
    else phone.reject('This number already has an account.')
  }

  return <CountersignPhone start="/sign-up/phone" onVerified={verified} />
}
