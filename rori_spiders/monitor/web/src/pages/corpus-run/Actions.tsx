import { useState } from 'react'
import { Button } from '@/components/forms/Button'
import type { RunDetail } from '@/pages/corpus/types'
import { AddPage } from './AddPage'
import { Approve, ApproveAll } from './ApproveDialogs'
import { Cancel, Resume, Withdraw } from './StateDialogs'
import { PublishDialog } from './PublishDialog'

type Doing = 'all' | 'approve' | 'withdraw' | 'cancel' | 'resume' | 'add' | 'publish'

/** What an operator may do to the run as it is now. */
export function Actions({ run }: { run: RunDetail }) {
  const [doing, setDoing] = useState<Doing>()
  const close = () => setDoing(undefined)
  const may = new Set(run.may)
  const ready = run.counts.publishable > 0 && run.counts.waiting > 0
  const given = { run, close }
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      {may.has('review') && (
        <Button disabled={!ready} onClick={() => setDoing('all')}>
          Approve all publishable …
        </Button>
      )}
      {may.has('approve') && (
        <Button kind="main" onClick={() => setDoing('approve')} disabled={run.questions.length > 0}>
          Approve corpus …
        </Button>
      )}
      {may.has('publish') && (
        <Button kind="main" onClick={() => setDoing('publish')}>
          Publish …
        </Button>
      )}
      {may.has('resume') && (
        <Button kind="main" onClick={() => setDoing('resume')}>
          Resume …
        </Button>
      )}
      {may.has('decide') && <Button onClick={() => setDoing('add')}>Add page …</Button>}
      {may.has('withdraw') && <Button onClick={() => setDoing('withdraw')}>Withdraw approval …</Button>}
      {may.has('cancel') && (
        <Button kind="danger" onClick={() => setDoing('cancel')}>
          Cancel run …
        </Button>
      )}
      {doing === 'all' && <ApproveAll {...given} />}
      {doing === 'approve' && <Approve {...given} />}
      {doing === 'publish' && <PublishDialog {...given} />}
      {doing === 'withdraw' && <Withdraw {...given} />}
      {doing === 'cancel' && <Cancel {...given} />}
      {doing === 'resume' && <Resume {...given} />}
      {doing === 'add' && <AddPage {...given} />}
    </div>
  )
}
