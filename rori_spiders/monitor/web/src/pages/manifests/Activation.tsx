import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import { useSession } from '@/api/session'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { showToast } from '@/components/feedback/Toast'
import { changesInWords } from './Changes'
import { Endings, countEnded } from './Endings'
import type { Checked, Draft } from './types'

/** Makes a checked text the active manifest, once asked again. */
export function Activation({ draft, checked }: { draft: Draft; checked: Checked }) {
  const { instance } = useSession()
  const [asked, setAsked] = useState(false)
  const { name } = checked
  const activate = useAction(
    () => unwrap(api.POST('/api/v1/manifests/activate', { body: { ...draft, sha256: checked.sha256 ?? '' } })),
    () => {
      setAsked(false)
      showToast(`${name} is active.`)
    },
  )
  if (checked.same) return <p className="text-sm">This version is already active.</p>
  if (instance.manifest_fixed) return <p className="text-sm">Cannot activate while RORI_MANIFEST is set; see the note above.</p>
  return (
    <div>
      {/* Not disabled: the focus comes back to it from the dialog. */}
      <Button kind="main" onClick={() => setAsked(!activate.isSuccess)} aria-disabled={activate.isSuccess}>
        {activate.isSuccess ? 'Active' : 'Activate'}
      </Button>
      <ConfirmDialog title={`Activate ${name}?`} open={asked} close={() => setAsked(false)} act={() => activate.mutate()} busy={activate.isPending} error={activate.error} does="Activate" danger={countEnded(checked.ending) !== 0}>
        <p className="mb-3 text-sm">
          This {changesInWords(checked)}. It applies from the next run.{checked.against !== null && ' The current version is kept and can be activated again.'}
        </p>
        <Endings ending={checked.ending} />
      </ConfirmDialog>
    </div>
  )
}
