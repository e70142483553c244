import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Button } from '@/components/forms/Button'
import { useAction } from '@/components/forms/useAction'
import { ConfirmDialog } from '@/components/forms/Dialog'
import { QueryView } from '@/components/feedback/QueryView'
import { showToast } from '@/components/feedback/Toast'
import { changesInWords } from './Changes'
import { Endings } from './Endings'
import type { Checked } from './types'

type Version = Schemas['ManifestVersionRow']

/** Makes an earlier version the active one, once asked again: what it would change now is said first. */
export function RollBack({ version: { version_id: id, name, version } }: { version: Version }) {
  const [asked, setAsked] = useState(false)
  const check = useQuery({
    queryKey: ['manifest version', id, 'check'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/manifests/versions/{version_id}/check', { params: { path: { version_id: id } }, signal })),
    enabled: asked,
  })
  const back = useAction(() => unwrap(api.POST('/api/v1/manifests/versions/{version_id}/activate', { params: { path: { version_id: id } } })), () => {
    setAsked(false)
    showToast(`${name} version ${version} is active.`)
  })
  return (
    <>
      <Button onClick={() => setAsked(true)} aria-label={`Roll back to version ${version} …`}>
        Roll back …
      </Button>
      <ConfirmDialog title={`Roll ${name} back to version ${version}?`} open={asked} close={() => setAsked(false)} act={() => back.mutate()} busy={back.isPending || check.isFetching} error={back.error} does="Roll back" danger>
        <QueryView query={check} what="the changes">
          {(checked) => <WhatItDoes checked={checked} />}
        </QueryView>
      </ConfirmDialog>
    </>
  )
}

/** Its problems, if it has any, are shown in full when it is tried. */
function WhatItDoes({ checked }: { checked: Checked }) {
  if (checked.problems.length) return <p className="text-sm [overflow-wrap:anywhere]">No longer valid: {checked.problems[0]?.message}</p>
  return (
    <>
      <p className="mb-3 text-sm">This {changesInWords(checked)}. It applies from the next run; the current version is kept.</p>
      <Endings ending={checked.ending} />
    </>
  )
}
