import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { Button } from '@/parts/button'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { Loaded } from '@/parts/loaded'
import { say } from '@/parts/toast'
import { inWords } from './changes'
import { Ends } from './ending'
import type { Checked } from './shapes'

type Version = schemas['ManifestVersionRow']

/** Makes an earlier version the active one, once asked again: what it would change now is said first. */
export function RollBack({ version: { version_id: id, name, version } }: { version: Version }) {
  const [asked, setAsked] = useState(false)
  const check = useQuery({
    queryKey: ['manifest version', id, 'check'],
    queryFn: ({ signal }) => answer(api.GET('/api/manifests/versions/{version_id}/check', { params: { path: { version_id: id } }, signal })),
    enabled: asked,
  })
  const back = useDeed(() => answer(api.POST('/api/manifests/versions/{version_id}/activate', { params: { path: { version_id: id } } })), () => {
    setAsked(false)
    say(`${name}, version ${version}, is in force.`)
  })
  return (
    <>
      <Button onClick={() => setAsked(true)} aria-label={`Roll back to version ${version} …`}>
        Roll back …
      </Button>
      <Ask title={`Roll ${name} back to version ${version}?`} open={asked} close={() => setAsked(false)} act={() => back.mutate()} busy={back.isPending || check.isFetching} error={back.error} does="Roll back" danger>
        <Loaded query={check} what="what it would change">
          {(checked) => <WhatItDoes checked={checked} />}
        </Loaded>
      </Ask>
    </>
  )
}

/** Its problems, if it has any, are told whole when it is tried. */
function WhatItDoes({ checked }: { checked: Checked }) {
  if (checked.problems.length) return <p className="text-sm [overflow-wrap:anywhere]">It is not valid any more: {checked.problems[0]?.message}</p>
  return (
    <>
      <p className="mb-3 text-sm">It {inWords(checked)}. It is in force from the next run on; the version in force now stays here.</p>
      <Ends ending={checked.ending} />
    </>
  )
}
