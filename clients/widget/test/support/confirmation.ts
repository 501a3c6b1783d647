/** Returns the answer of `POST /acquire-phone-number`, with some members replaced. */
export function answer(other: object = {}): Record<string, unknown> {
  const message = 'CS-7Q2M0XK4V9T1BHNE'
  return {
    confirmationId: 'cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4',
    confirmationMessage: message,
    confirmationUri: {
      qr: `smsto:+12025550199:${message}`,
      ios: `sms:+12025550199&body=${message}`,
      android: `smsto:+12025550199:${message}`,
      sms: `sms:+12025550199?body=${message}`,
    },
    sendTo: '+12025550199',
    sendToCountry: 'US',
    expiresAt: '2026-01-02T03:09:05.678Z',
    expiresIn: 300,
    serverTime: '2026-01-02T03:04:05.678Z',
    client: {
      token: 'token',
      statusUrl: 'https://countersign.example/confirmations/cfm_5f0c8a41f2d94e6b7a13c0de9b81d2a4/status',
      socketUrl: 'wss://push.example/',
    },
    ...other,
  }
}
