import '@angular/compiler'
import { Component, CUSTOM_ELEMENTS_SCHEMA, provideZonelessChangeDetection } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'

// @ts-expect-error The other pages have it in JavaScript.
import { around, LOGIN, TEXTS } from '../checks.js'

@Component({
  selector: 'app-root',
  schemas: [CUSTOM_ELEMENTS_SCHEMA],
  template: `
    <countersign-login
      [attr.app-key]="login.appKey" [attr.service]="login.service" [attr.allow-unencrypted]="false" [error]="null" [refresh]="none"
    ></countersign-login>
    <countersign-phone start="/sign-up/phone" [texts]="texts" [error]="null" [refresh]="none"></countersign-phone>
  `,
})
class RootComponent {
  readonly login = LOGIN
  readonly texts = TEXTS
  readonly none = () => {}
}

await around(() => bootstrapApplication(RootComponent, { providers: [provideZonelessChangeDetection()] }))
