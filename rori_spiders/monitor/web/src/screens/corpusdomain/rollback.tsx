import { useState } from 'react'
import { answer, api } from '@/api/client'
import { Button } from '@/parts/button'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { Field } from '@/parts/field'
import { say } from '@/parts/toast'
import type { Version } from '../corpus/shapes'

/** Publishes the pages of an older version once more, once the domain was typed. */
export function RollBack({ version: { domain, version } }: { version: Version }) {
  const [asked, setAsked] = useState(false)
  const [typed, setTyped] = useState('')
  const [reason, setReason] = useState('')
  const back = useDeed(() => answer(api.POST('/api/corpus/domains/{domain}/rollback', { params: { path: { domain } }, body: { domain: typed, version, reason } })), (made) => {
    setAsked(false)
    say(`Version ${made.version} holds the pages of version ${version} again.`)
  })
  return (
    <>
      <Button onClick={() => setAsked(true)} aria-label={`Roll back … to version ${version}`}>
        Roll back …
      </Button>
      <Ask title={`Roll ${domain} back to version ${version}?`} open={asked} close={() => setAsked(false)} act={() => back.mutate()} busy={back.isPending} error={back.error} does="Roll back" danger>
        <p className="mb-3 text-sm">Its pages are published again as a new version; the versions since stay as they are.</p>
        <Field label={`Type ${domain}`} required pattern={domain.replaceAll('.', '\\.')} autoCapitalize="none" autoComplete="off" spellCheck={false} value={typed} onChange={(event) => setTyped(event.target.value)} />
        <Field label="Reason" required maxLength={500} pattern=".*\S.*" value={reason} hint="It is kept with your name." onChange={(event) => setReason(event.target.value)} />
      </Ask>
    </>
  )
}
