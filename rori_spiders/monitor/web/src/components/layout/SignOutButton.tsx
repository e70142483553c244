import { useState } from 'react'
import { signOut } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { showToast } from '@/components/feedback/Toast'

export function SignOutButton() {
  const [busy, setBusy] = useState(false)
  const leave = () => {
    setBusy(true)
    signOut().catch((error: unknown) => {
      setBusy(false)
      showToast(error instanceof Error ? error.message : String(error), { bad: true })
    })
  }
  return (
    <Button onClick={leave} disabled={busy}>
      Sign out
    </Button>
  )
}
