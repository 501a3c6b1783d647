// A page that installs the elements.

import '@countersign/widget'
import type { ConfirmedDetail } from '@countersign/widget'

const login = document.querySelector('countersign-login')
login?.addEventListener('confirmed', (event) => {
  const { sessionId, payload, salt, proof }: ConfirmedDetail = event.detail
  console.log(sessionId.length, payload?.length, salt?.length, proof?.length)
  login.accept()
})

const phone = document.createElement('countersign-phone')
phone.addEventListener('verified', ({ detail }) => { console.log(detail.confirmationId) })
// @ts-expect-error There is no such event.
phone.addEventListener('verified', ({ detail }) => { console.log(detail.phoneNumber) })
