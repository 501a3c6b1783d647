import { LogIn, SignUp } from './account'

// The settings are those of the server that runs, and not of the machine that built it.
export const dynamic = 'force-dynamic'

export default function Page() {
  return (
    <main>
      <LogIn service={process.env.COUNTERSIGN_URL!} appKey={process.env.COUNTERSIGN_APP_KEY!} />
      <SignUp />
    </main>
  )
}
