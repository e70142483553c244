import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '@/api/types'
import { Badge } from '@/components/feedback/Badge'
import { Button } from '@/components/forms/Button'
import { CopyButton } from '@/components/forms/CopyButton'
import { FileLink } from '@/components/data/SafeLink'
import { Table, type Column } from '@/components/data/Table'
import { Time } from '@/components/data/Time'

type Version = Schemas['VersionRow']
type Imported = Schemas['ImportedText']

/** The versions of a page, newest first; two of them are picked and compared. */
export function Versions({ page }: { page: Schemas['PageDetail'] }) {
  const versions = page.history
  const [from, setFrom] = useState(versions[1]?.version_id)
  const [to, setTo] = useState(versions[0]?.version_id)
  const navigate = useNavigate({ from: '/pages/$pageId' })
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
      {versions.length > 0 && <Table caption="Versions" columns={several ? [...COLUMNS, pick('Before', from, setFrom), pick('After', to, setTo)] : COLUMNS} rows={versions} id={(version) => version.version_id} />}
      {page.imported.length > 0 && <ImportedTexts pageId={page.page_id ?? 0} texts={page.imported} />}
    </>
  )
}

/** Texts that others captured. They are not versions, and are counted nowhere. */
function ImportedTexts({ pageId, texts }: { pageId: number; texts: readonly Imported[] }) {
  const read: Column<Imported> = {
    key: 'text',
    title: 'Text',
    cell: (text) => (
      <FileLink path={`/api/v1/pages/${pageId}/imported/${text.content_hash}`} download className="text-accent underline">
        Markdown
      </FileLink>
    ),
  }
  return (
    <section className="mt-6">
      <h2 className="mb-2 font-semibold">Imported, not seen by this collector</h2>
      <Table caption="Imported texts" columns={[...IMPORTED_COLUMNS, read]} rows={texts} id={(text) => `${text.captured_at} ${text.content_hash} ${text.url}`} />
    </section>
  )
}

const TRUST = { archived: 'digest of the archive matches', stated: 'its file alone says so', publisher: 'its publisher said so later' } as const

const IMPORTED_COLUMNS: Column<Imported>[] = [
  { key: 'captured', title: 'Time stated', cell: (text) => <Time at={text.captured_at} /> },
  { key: 'trust', title: 'Trust', cell: (text) => <><Badge tone="idle">imported</Badge> {text.trust}: {TRUST[text.trust]}</> },
  { key: 'published', title: 'Published', cell: (text) => text.published },
  { key: 'from', title: 'From', cell: (text) => text.imported_from },
  { key: 'by', title: 'Imported', cell: (text) => <><Time at={text.imported_at} /> by {text.imported_by}</> },
  { key: 'hash', title: 'Hash', cell: (text) => <CopyButton value={text.content_hash} what="content hash" /> },
]

const COLUMNS: Column<Version>[] = [
  {
    key: 'seq',
    title: 'Version',
    cell: (version) => (
      <Link from="/pages/$pageId" to="." search={{ tab: 'text', version: version.version_id }} className="text-accent underline">
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
