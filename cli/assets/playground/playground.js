import { call } from './playground/http.js'
import { login } from './playground/login.js'
import { phoneNumber } from './playground/phone-number.js'
import { tabs } from './playground/tabs.js'

phoneNumber(document.getElementById('phone-number'))
tabs(document.querySelector('[role="tablist"]'), {
  login: login(document.getElementById('login')),
})
// Without an answer, the command for the default directory stays.
call('GET', '/playground/facts').then(({ command }) => {
  document.querySelector('[data-part="console"]').textContent = `${command} console`
}, () => {})
