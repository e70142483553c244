import { Badge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { CopyButton } from '@/components/forms/CopyButton'
import { EmptyState } from '@/components/feedback/states'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { LoaderState, StartLoader } from '@/pages/corpus/Loader'
import type { Version } from '@/pages/corpus/types'
import { RollBack } from './RollBack'

/** What was published, newest first. */
export function Versions({ versions, may }: { versions: readonly Version[]; may: boolean }) {
  const latest = versions.find((one) => one.state === 'published')
  const acts: Column<Version> = { key: 'acts', title: 'Actions', cell: (one) => (one === latest ? <StartLoader version={one} /> : one.state === 'published' && <RollBack version={one} />) }
  return (
    <Card title="Versions">
      {versions.length ? (
        <Table caption="Versions" columns={may ? [...COLUMNS, acts] : COLUMNS} rows={versions} id={(one) => String(one.version)} />
      ) : (
        <EmptyState title="No published versions yet." />
      )}
    </Card>
  )
}

const COLUMNS: Column<Version>[] = [
  { key: 'version', title: 'Version', cell: (one) => `v${one.version}` },
  { key: 'state', title: 'State', cell: (one) => <Badge tone={one.state === 'published' ? 'good' : one.state === 'publishing' ? 'new' : 'idle'}>{one.state}</Badge> },
  { key: 'at', title: 'Published', cell: (one) => <Time at={one.published_at} /> },
  { key: 'by', title: 'Published by', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.published_by}</span> },
  { key: 'pages', title: 'Pages', end: true, cell: (one) => one.pages?.toLocaleString() ?? '–' },
  { key: 'tombstones', title: 'Tombstones', end: true, cell: (one) => one.tombstones?.toLocaleString() ?? '–' },
  { key: 'of', title: 'From', cell: (one) => (one.rolled_back_to === null ? 'a run' : `rollback to v${one.rolled_back_to}`) },
  { key: 'loader', title: 'Loader', cell: (one) => <LoaderState version={one} /> },
  { key: 'place', title: 'Location', cell: (one) => <code className="text-xs [overflow-wrap:anywhere]">{one.prefix}</code> },
  { key: 'hash', title: 'Manifest', cell: (one) => <CopyButton value={one.manifest_hash} what="manifest hash" /> },
]
