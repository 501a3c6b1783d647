// Compiles the templates in the page.
import '@angular/compiler'
import { Component, provideZonelessChangeDetection, signal } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'

import { AccountComponent } from './account.component.ts'

@Component({
  selector: 'app-root',
  imports: [AccountComponent],
  template: `
    @if (outcome()) {
      <p role="status">{{ outcome() }}</p>
    } @else {
      <app-account [page]="page" (loggedIn)="outcome.set('Logged in')" (signedUp)="outcome.set('Signed up')" />
    }
  `,
})
class RootComponent {
  readonly page = location.hash === '#sign-up' ? 'sign-up' : 'login'
  readonly outcome = signal('')
}

await bootstrapApplication(RootComponent, { providers: [provideZonelessChangeDetection()] })
