'use client'

import {
  CountersignLogin, CountersignPhone, type CountersignLoginElement, type CountersignPhoneElement,
} from '@countersign/widget/react'
import { useRouter } from 'next/navigation'
import { useRef } from 'react'

export function LogIn({ service, appKey }: { service: string; appKey: string }) {
  const router = useRouter()
  const login = useRef<CountersignLoginElement>(null)

  return (
    <CountersignLogin
      ref={login}
      service={service}
      appKey={appKey}
      onConfirmed={async (event) => {
        event.preventDefault() // The element shows the outcome once your server has decided.
        const answer = await fetch('/login', { method: 'POST', body: JSON.stringify(event.detail) })
        if (answer.ok) router.push('/')
        else login.current?.reject('This account is locked.')
      }}
    />
  )
}

export function SignUp() {
  const router = useRouter()
  const phone = useRef<CountersignPhoneElement>(null)

  return (
    <CountersignPhone
      ref={phone}
      start="/sign-up/phone"
      onVerified={async (event) => {
        event.preventDefault()
        const answer = await fetch('/sign-up/finish', { method: 'POST' })
        if (answer.ok) router.push('/')
        else phone.current?.reject('This number already has an account.')
      }}
    />
  )
}
