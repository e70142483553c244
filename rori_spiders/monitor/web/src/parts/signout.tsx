import { useState } from 'react'
import { signOut } from '@/api/client'
import { Button } from './button'
import { say } from './toast'

export function SignOut() {
  const [busy, setBusy] = useState(false)
  const leave = () => {
    setBusy(true)
    signOut().catch((error: unknown) => {
      setBusy(false)
      say(error instanceof Error ? error.message : String(error), { bad: true })
    })
  }
  return (
    <Button onClick={leave} disabled={busy}>
      Sign out
    </Button>
  )
}
