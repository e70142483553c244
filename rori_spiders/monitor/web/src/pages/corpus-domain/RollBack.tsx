import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { Field } from '@/components/forms/Field'
import { showToast } from '@/components/feedback/Toast'
import type { Version } from '@/pages/corpus/types'

/** Publishes the pages of an older version once more, once the domain was typed. */
export function RollBack({ version: { domain, version } }: { version: Version }) {
  const [asked, setAsked] = useState(false)
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const back = useAction(() => unwrap(api.POST('/api/v1/corpus/domains/{domain}/rollback', { params: { path: { domain } }, body: { domain: typed, version, reason } })), (made) => {
    setAsked(false)
    showToast(`Published version ${made.version}, a copy of version ${version}.`)
  })
  return (
    <>
      <Button onClick={() => setAsked(true)} aria-label={`Roll back … to version ${version}`}>
        Roll back …
      </Button>
      <ConfirmDialog title={`Roll ${domain} back to version ${version}?`} open={asked} close={() => setAsked(false)} act={() => back.mutate()} busy={back.isPending} error={back.error} does="Roll back" danger>
        <p className="mb-3 text-sm">Publishes its pages again as a new version. Existing versions are unchanged.</p>
        <Field label={`Type ${domain} to confirm`} required pattern={domain.replaceAll('.', '\\.')} autoCapitalize="none" autoComplete="off" spellCheck={false} value={typed} onChange={(event) => setTyped(event.target.value)} />
        <Field label="Reason" required maxLength={500} pattern=".*\S.*" value={reason} hint="Recorded with your name." onChange={(event) => setReason(event.target.value)} />
      </ConfirmDialog>
    </>
  )
}
