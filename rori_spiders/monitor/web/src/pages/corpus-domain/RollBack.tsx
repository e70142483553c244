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
  const back = useAction(() => unwrap(api.POST('/api/corpus/domains/{domain}/rollback', { params: { path: { domain } }, body: { domain: typed, version, reason } })), (made) => {
    setAsked(false)
    showToast(`Version ${made.version} holds the pages of version ${version} again.`)
  })
  return (
    <>
      <Button onClick={() => setAsked(true)} aria-label={`Roll back … to version ${version}`}>
        Roll back …
      </Button>
      <ConfirmDialog title={`Roll ${domain} back to version ${version}?`} open={asked} close={() => setAsked(false)} act={() => back.mutate()} busy={back.isPending} error={back.error} does="Roll back" danger>
        <p className="mb-3 text-sm">Its pages are published again as a new version; the versions since stay as they are.</p>
        <Field label={`Type ${domain}`} required pattern={domain.replaceAll('.', '\\.')} autoCapitalize="none" autoComplete="off" spellCheck={false} value={typed} onChange={(event) => setTyped(event.target.value)} />
        <Field label="Reason" required maxLength={500} pattern=".*\S.*" value={reason} hint="It is kept with your name." onChange={(event) => setReason(event.target.value)} />
      </ConfirmDialog>
    </>
  )
}
