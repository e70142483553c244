import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { useSession } from '@/api/session'
import { Badge } from '@/components/feedback/Badge'
import { Card } from '@/components/layout/Card'
import { CopyButton } from '@/components/forms/CopyButton'
import { Heading } from '@/components/layout/Heading'
import { FileLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'
import { Draft } from './Draft'
import { Versions } from './Versions'

const route = getRouteApi('/manifests')

export function Manifests() {
  const { name } = route.useSearch()
  const { operator_may: may } = useSession()
  const manifests = useQuery({ queryKey: ['manifests'], queryFn: ({ signal }) => unwrap(api.GET('/api/v1/manifests', { signal })) })
  return (
    <>
      <Heading title="Manifests" />
      <QueryView query={manifests} what="the manifests">
        {({ items, fixed_why: why }) => (
          <>
            {why && <p className="mb-4 rounded-md border border-warn bg-warn-ground px-3 py-2 text-sm text-warn [overflow-wrap:anywhere]">{why}</p>}
            <Card title="All manifests">
              <Table caption="Manifests" columns={COLUMNS} rows={items} id={(one) => `${one.name} ${one.origin}`} />
            </Card>
            {name && <Versions name={name} fixed={why !== null} />}
          </>
        )}
      </QueryView>
      <Card title="Activate a new version">{may ? <Draft /> : <p className="text-sm text-quiet">Read-only access (viewer role). Only operators can check and activate manifests.</p>}</Card>
    </>
  )
}

const COLUMNS: Column<Schemas['ManifestRow']>[] = [
  {
    key: 'name',
    title: 'Name',
    cell: (one) =>
      one.versions > 0 ? (
        <Link from={route.id} to="." search={{ name: one.name }} className="text-accent underline [overflow-wrap:anywhere]">
          {one.name}
        </Link>
      ) : (
        <span className="[overflow-wrap:anywhere]">{one.name}</span>
      ),
  },
  { key: 'active', title: 'State', cell: (one) => <Badge tone={one.active ? 'good' : 'idle'}>{one.active ? 'active' : 'inactive'}</Badge> },
  { key: 'version', title: 'Version', cell: (one) => one.version },
  { key: 'sources', title: 'Sources', end: true, cell: (one) => one.sources?.toLocaleString() ?? '–' },
  { key: 'origin', title: 'Origin', cell: (one) => <span className="[overflow-wrap:anywhere]">{one.path ?? one.origin}</span> },
  { key: 'at', title: 'Activated', cell: (one) => <Time at={one.activated_at} /> },
  { key: 'by', title: 'Activated by', cell: (one) => one.activated_by && <span className="[overflow-wrap:anywhere]">{one.activated_by}</span> },
  {
    key: 'file',
    title: 'File',
    cell: (one) =>
      one.active && (
        <FileLink path={`/api/v1/manifests/${encodeURIComponent(one.name)}/text`} download className="text-accent underline">
          download
        </FileLink>
      ),
  },
  { key: 'hash', title: 'Hash', cell: (one) => <CopyButton value={one.sha256} what="manifest hash" /> },
]
