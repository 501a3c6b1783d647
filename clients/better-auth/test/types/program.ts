// A program of an app, which only has to compile: the plugin's types reach the server's API and the client.

import { betterAuth } from 'better-auth'
import { createAuthClient } from 'better-auth/client'
import { phoneNumberClient } from 'better-auth/client/plugins'
import { createAuthClient as createReactClient } from 'better-auth/react'
import { phoneNumber } from 'better-auth/plugins'

import { COUNTERSIGN_ERROR_CODES, countersign } from '@countersign/better-auth'
import { countersignClient } from '@countersign/better-auth/client'

export const auth = betterAuth({
  plugins: [
    countersign({
      url: 'https://countersign.example',
      apiKey: 'cs_live_…',
      webhookSecret: ['whsec_…', 'whsec_…'],
      callbackOnLogin: ({ user, keyId }) => { void [user.id, keyId] },
      mayOpenByText: ({ user, waysIn }) => waysIn.length === 0 && user.phoneNumber !== '',
      callbackOnVerification: async ({ phoneNumber: number, previousPhoneNumber, isNewUser }) => { void [number, previousPhoneNumber, isNewUser] },
      schema: { user: { fields: { phoneNumber: 'phone_number' } }, countersignKey: { modelName: 'phone_keys' } },
    }),
    phoneNumber({ sendOTP() {} }),
  ],
})

// @ts-expect-error: the secret for webhooks is not optional.
countersign({ url: 'https://countersign.example', apiKey: 'cs_live_…' })

type Session = typeof auth.$Infer.Session
export const numberOf = ({ user }: Session): string | null | undefined => user.phoneNumber
export const isVerified = ({ user }: Session): boolean | null | undefined => user.phoneNumberVerified
export const code: string = auth.$ERROR_CODES.STRONGER_SIGN_IN_REQUIRED.code
export const same: 'STRONGER_SIGN_IN_REQUIRED' = COUNTERSIGN_ERROR_CODES.STRONGER_SIGN_IN_REQUIRED.code

const client = createAuthClient({ plugins: [countersignClient(), phoneNumberClient()] })
export const react = createReactClient({ plugins: [countersignClient()] })

export async function page(detail: { sessionId: string, payload: string, salt: string, proof: string }) {
  const started = await client.signIn.text.start()
  const text: string | undefined = started.data?.confirmationMessage
  const { data: status } = await client.signIn.text.status()
  if (status?.status === 'verified') void status.phoneNumber.length
  const { data } = await client.signIn.text.finish({ name: 'Zoe' })
  if (data?.status === 'signed-in') void [data.token, data.user.phoneNumber, data.isNewUser]
  // @ts-expect-error: a pending answer has no user.
  void data?.user
  const waited = await client.countersign.waitForSignIn({ name: 'Zoe', plan: 'pro' })
  if (waited.error) void [waited.error.code, waited.error.status, waited.error.message]
  else void [waited.data.user.phoneNumber, waited.data.isNewUser]
  const sender = await client.countersign.waitForText()
  void sender.data?.phoneNumber.length
  const number = await client.countersign.waitForNumber()
  void number.data?.user.phoneNumberVerified
  await client.countersign.number.start({ phoneNumber: '0151 12345678', country: 'DE' })
  // @ts-expect-error: a number is needed.
  await client.countersign.number.start({ country: 'DE' })
  const login = await client.signIn.code.finish(detail)
  void login.data?.user.id
  await client.countersign.keys.register({ publicKey: '', signature: '' })
  const keys = await client.countersign.keys.list()
  void keys.data?.[0]?.createdAt.getTime()
  await client.countersign.keys.revoke({ keyId: '' })
  await client.signIn.email({ email: '', password: '' })
  await client.phoneNumber.sendOtp({ phoneNumber: '' })
  const { data: session } = await client.getSession()
  const own: string | null | undefined = session?.user.phoneNumber
  return [text, own, client.$ERROR_CODES.PHONE_NUMBER_EXIST.code]
}

// @ts-expect-error: webhooks are not the client's.
void client.countersign.webhook
