import '@countersign/widget'
import type { ConfirmedDetail, CountersignLogin, CountersignPhone } from '@countersign/widget'
import { Component, CUSTOM_ELEMENTS_SCHEMA, EventEmitter, Input, Output } from '@angular/core'

@Component({
  selector: 'app-account',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    @if (page === 'login') {
      <countersign-login [attr.service]="service" [attr.app-key]="appKey" (confirmed)="confirmed($event)"></countersign-login>
    } @else {
      <countersign-phone start="/sign-up/phone" (verified)="verified($event)"></countersign-phone>
    }
  `,
})
export class AccountComponent {
  @Input() page = 'login'
  @Output() readonly loggedIn = new EventEmitter<void>()
  @Output() readonly signedUp = new EventEmitter<void>()
  readonly service = import.meta.env.VITE_COUNTERSIGN_URL
  readonly appKey = import.meta.env.VITE_COUNTERSIGN_APP_KEY

  async confirmed(event: CustomEvent<ConfirmedDetail>) {
    const login = event.currentTarget as CountersignLogin
    event.preventDefault() // The element shows the outcome once your server has decided.
    const answer = await fetch('/login', { method: 'POST', body: JSON.stringify(event.detail) })
    if (answer.ok) this.loggedIn.emit()
    else login.reject('This account is locked.')
  }

  async verified(event: Event) {
    const phone = event.currentTarget as CountersignPhone
    event.preventDefault()
    const answer = await fetch('/sign-up/finish', { method: 'POST' })
    if (answer.ok) this.signedUp.emit()
    else phone.reject('This number already has an account.')
  }
}
