import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { Field } from '@/components/forms/Field'
import { ErrorMessage } from '@/components/feedback/states'
import { showToast } from '@/components/feedback/Toast'

/** The old password, and the new one twice. */
export function PasswordForm({ user }: { user: string }) {
  const [old, setOld] = useState('')
  const [fresh, setFresh] = useState('')
  const [again, setAgain] = useState('')
  const change = useMutation({
    mutationFn: () => unwrap(api.POST('/api/v1/session/password', { body: { old, new: fresh } })),
    onSuccess: () => {
      for (const set of [setOld, setFresh, setAgain]) set('')
      showToast('Password changed. Your other sessions were signed out.')
    },
  })
  const differ = again !== '' && again !== fresh
  return (
    <form
      className="max-w-sm"
      onChange={() => change.isError && change.reset()}
      onSubmit={(event) => {
        event.preventDefault()
        if (fresh === again) change.mutate()
      }}
    >
      <input type="text" name="username" autoComplete="username" value={user} readOnly hidden />
      <Field label="Current password" type="password" autoComplete="current-password" required value={old} onChange={(event) => setOld(event.target.value)} />
      <Field label="New password" type="password" autoComplete="new-password" required value={fresh} hint="At least 15 characters; a phrase of several words works well. Signs out your other sessions." onChange={(event) => setFresh(event.target.value)} />
      <Field label="Confirm new password" type="password" autoComplete="new-password" required value={again} aria-invalid={differ} hint={differ ? 'Passwords do not match.' : undefined} onChange={(event) => setAgain(event.target.value)} />
      {change.isError && <ErrorMessage error={change.error} />}
      <Button type="submit" kind="main" disabled={change.isPending || differ}>
        Change password
      </Button>
    </form>
  )
}
