import { useState } from 'react'
import { answer, api } from '@/api/client'
import type { schemas } from '@/api/shapes'
import { Button } from '@/parts/button'
import { useDeed } from '@/parts/deed'
import { Ask } from '@/parts/dialog'
import { say } from '@/parts/toast'

/** Makes an earlier version the active one, once asked again. */
export function RollBack({ version: { version_id: id, name, version } }: { version: schemas['ManifestVersionRow'] }) {
  const [asked, setAsked] = useState(false)
  const back = useDeed(() => answer(api.POST('/api/manifests/versions/{version_id}/activate', { params: { path: { version_id: id } } })), () => {
    setAsked(false)
    say(`${name}, version ${version}, is in force.`)
  })
  return (
    <>
      <Button onClick={() => setAsked(true)}>Roll back …</Button>
      <Ask title={`Roll ${name} back to version ${version}?`} open={asked} close={() => setAsked(false)} act={() => back.mutate()} busy={back.isPending} error={back.error} does="Roll back" danger>
        <p className="text-sm">It is checked again, then it is in force from the next run on. The version in force now stays here.</p>
      </Ask>
    </>
  )
}
