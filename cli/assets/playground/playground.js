import { phoneNumber } from './playground/phone-number.js'

phoneNumber(document.getElementById('phone-number'))
