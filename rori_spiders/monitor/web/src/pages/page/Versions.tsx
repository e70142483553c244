import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '@/api/types'
import { Badge } from '@/components/feedback/Badge'
import { Button } from '@/components/forms/Button'
import { CopyButton } from '@/components/forms/CopyButton'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { pageRoute } from './route'

type Version = Schemas['VersionRow']

/** The versions of a page, newest first; two of them are picked and compared. */
export function Versions({ page }: { page: Schemas['PageDetail'] }) {
  const versions = page.history
  const [from, setFrom] = useState(versions[1]?.version_id)
  const [to, setTo] = useState(versions[0]?.version_id)
  const navigate = useNavigate({ from: pageRoute.fullPath })
  const pick = (title: string, value: string | undefined, set: (id: string) => void): Column<Version> => ({
    key: title,
    title,
    cell: (version) => <input type="radio" name={title} aria-label={`${title}: version ${version.version}`} checked={value === version.version_id} onChange={() => set(version.version_id)} />,
  })
  const several = versions.length > 1
  return (
    <>
      {several && (
        <Button kind="main" className="mb-3" disabled={!from || !to || from === to} onClick={() => void navigate({ search: { tab: 'compare', from, to } })}>
          Compare selected
        </Button>
      )}
      <Table caption="Versions" columns={several ? [...COLUMNS, pick('Before', from, setFrom), pick('After', to, setTo)] : COLUMNS} rows={versions} id={(version) => version.version_id} />
    </>
  )
}

const COLUMNS: Column<Version>[] = [
  {
    key: 'seq',
    title: 'Version',
    cell: (version) => (
      <Link from={pageRoute.fullPath} to="." search={{ tab: 'text', version: version.version_id }} className="text-accent underline">
        Version {version.version}
      </Link>
    ),
  },
  { key: 'captured', title: 'Captured', cell: (version) => <Time at={version.captured_at} /> },
  { key: 'change', title: 'Change', cell: (version) => <Badge tone={version.change_type === 'deleted' ? 'bad' : 'new'}>{version.change_type}</Badge> },
  { key: 'tier', title: 'Tier', cell: (version) => version.tier },
  { key: 'published', title: 'Published', cell: (version) => version.published },
  { key: 'effective', title: 'Effective', cell: (version) => version.effective },
  { key: 'hash', title: 'Hash', cell: (version) => <CopyButton value={version.content_hash} what="content hash" /> },
  {
    key: 'run',
    title: 'Run',
    cell: (version) => (
      <Link to="/runs/$runId" params={{ runId: version.run_id }} className="font-mono text-xs text-accent underline">
        {version.run_id.slice(0, 8)}
      </Link>
    ),
  },
]
