import { createApp, h, ref } from 'vue'

import Account from './Account.vue'

const outcome = ref('')
createApp({
  render: () => (outcome.value ? h('p', { role: 'status' }, outcome.value) : h(Account, {
    page: location.hash === '#sign-up' ? 'sign-up' : 'login',
    onLoggedIn: () => { outcome.value = 'Logged in' },
    onSignedUp: () => { outcome.value = 'Signed up' },
  })),
}).mount('#root')
