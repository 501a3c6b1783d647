import { LogIn, SignUp } from './account'

// The settings come from the server that runs, not from the machine that built it.
export const dynamic = 'force-dynamic'

export default function Page() {
  return (
    <main>
      <LogIn service={process.env.COUNTERSIGN_URL!} appKey={process.env.COUNTERSIGN_APP_KEY!} />
      <SignUp />
    </main>
  )
}
