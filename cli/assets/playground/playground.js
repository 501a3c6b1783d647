import { login } from './playground/login.js'
import { phoneNumber } from './playground/phone-number.js'
import { tabs } from './playground/tabs.js'

phoneNumber(document.getElementById('phone-number'))
tabs(document.querySelector('[role="tablist"]'), {
  login: login(document.getElementById('login')),
})
