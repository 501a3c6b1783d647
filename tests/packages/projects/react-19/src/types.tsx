// Props that the components accept and refuse, by their types.

import {
  CountersignLogin, CountersignPhone, CountersignSetup, type ConfirmedDetail, type CountersignLoginElement, type CountersignLoginProps,
  type CountersignPhoneElement, type CountersignSetupElement, type Starter,
} from '@countersign/widget/react'
import { useRef } from 'react'

export function LogIn(props: Pick<CountersignLoginProps, 'className' | 'appName'>) {
  const login = useRef<CountersignLoginElement>(null)
  const finish = async (detail: ConfirmedDetail) => {
    const answer = await fetch('/login', { method: 'POST', body: JSON.stringify(detail) })
    if (answer.ok) login.current?.accept()
    else login.current?.reject('No.')
  }
  return (
    <CountersignLogin
      ref={login} appKey="cs_app_x" service="https://countersign.example" allowUnencrypted={false} {...props}
      start={async (body) => fetch('/login/start', { method: 'POST', body: JSON.stringify(body) })}
      texts={{ scan: 'Scan me' }} style={{ margin: 'auto' }} lang="de" data-test="login" aria-label="Log in"
      onScanned={({ detail }) => detail.sessionId.length}
      onConfirmed={(event) => {
        event.preventDefault()
        void finish(event.detail)
      }}
      onError={({ detail: { code, remedy } }) => console.log(code, remedy)}
      onClick={(event) => event.stopPropagation()}
    >
      <a href="/password">Log in with a password</a>
    </CountersignLogin>
  )
}

export function Approval({ session }: { session: unknown }) {
  return <CountersignLogin session={session} service="https://countersign.example" appName="Shop" scanWith="camera" onConfirmed={({ detail }) => detail.sessionId} onRenew={() => {}} />
}

const starter: Starter = () => ({})

export function SignUp() {
  const phone = useRef<CountersignPhoneElement>(null)
  return (
    <CountersignPhone
      ref={phone} start={starter} startOptions={{ headers: { 'X-CSRF-Token': 'x' } }} mode="confirm" country="DE" session={null}
      onStarted={({ detail }) => detail.confirmationId} onMissed={({ detail }) => detail.reason === 'wrong_sender'}
      onVerified={() => phone.current?.accept()} onRenew={() => phone.current?.refresh()} onExpired={() => {}} onCancelled={undefined}
    />
  )
}

export function SetUp({ registration }: { registration: unknown }) {
  const setup = useRef<CountersignSetupElement>(null)
  return (
    <CountersignSetup
      ref={setup} registration={registration} service="https://countersign.example"
      onOpened={({ detail }) => detail.browser} onCompleted={({ detail }) => detail.registrationId} onFailed={({ detail }) => detail.reason === 'cancelled'}
      onRenew={() => setup.current?.cancel()}
    />
  )
}

export const refused = [
  // @ts-expect-error Neither an app nor a session.
  <CountersignLogin />,
  // @ts-expect-error The app key is missing.
  <CountersignLogin service="https://countersign.example" />,
  // @ts-expect-error There is no such mode.
  <CountersignPhone start="/sign-up" mode="acquire" />,
  // @ts-expect-error The login has no such event.
  <CountersignLogin appKey="cs_app_x" service="https://countersign.example" onVerified={() => {}} />,
  // @ts-expect-error A switch is not a text.
  <CountersignLogin appKey="cs_app_x" service="https://countersign.example" allowUnencrypted="false" />,
  // @ts-expect-error Codes are scanned with the app or the camera.
  <CountersignLogin appKey="cs_app_x" service="https://countersign.example" scanWith="scanner" />,
  // @ts-expect-error The registration is missing.
  <CountersignSetup service="https://countersign.example" />,
  // @ts-expect-error There is no such text.
  <CountersignPhone start="/sign-up" texts={{ scanned: 'x' }} />,
]
