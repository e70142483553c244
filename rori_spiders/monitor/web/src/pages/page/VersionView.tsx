import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { unwrap, api } from '@/api/client'
import type { Schemas } from '@/api/types'
import { Card } from '@/components/layout/Card'
import { Facts } from '@/components/data/Facts'
import { FileLink, SafeLink } from '@/components/data/SafeLink'
import { QueryView } from '@/components/feedback/QueryView'
import { EmptyState } from '@/components/feedback/states'
import { TAB_CLASS, Tabs } from '@/components/layout/Tabs'
import { Time } from '@/components/data/Time'
import { Steps } from '@/components/data/Steps'
import { SandboxedFrame } from '@/texts/SandboxedFrame'
import { PlainText } from '@/texts/PlainText'
import { RenderedText } from '@/texts/RenderedText'
import { markdownQuery } from './queries'
import { VersionPicker } from './VersionPicker'

const route = getRouteApi('/pages/$pageId')
const WAYS = [
  [undefined, 'Rendered'],
  ['markdown', 'Markdown'],
  ['raw', 'Original'],
  ['envelope', 'Envelope'],
  ['screenshot', 'Screenshot'],
] as const

/** One version: its facts and citations, and its text in four forms. */
export function VersionView({ page }: { page: Schemas['PageDetail'] }) {
  const { version, how } = route.useSearch()
  const navigate = route.useNavigate()
  const id = version ?? page.history[0]?.version_id ?? ''
  const found = useQuery({
    queryKey: ['version', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/versions/{version_id}', { params: { path: { version_id: id } }, signal })),
    staleTime: Infinity,
  })
  return (
    <QueryView query={found} what="the version">
      {(known) => (
        <>
          <div className="mb-4 flex flex-wrap items-end gap-4">
            <VersionPicker label="Version" versions={page.history} value={id} pick={(to) => void navigate({ search: (now) => ({ ...now, version: to }), replace: true })} />
            {known.version_before && (
              <Link from={route.id} to="." search={{ tab: 'compare', from: known.version_before, to: id }} className="py-1 text-sm text-accent underline">
                Compare with the previous version
              </Link>
            )}
          </div>
          <Card title={`Version ${known.version}`}>
            <Facts facts={facts(known)} across />
          </Card>
          <Tabs label="Formats">
            {WAYS.filter(([name]) => name !== 'screenshot' || known.screenshot.state !== 'none').map(([name, label]) => (
              <Link key={label} activeOptions={{ exact: true }} from={route.id} to="." search={(now) => ({ ...now, how: name })} replace aria-current={how === name ? 'page' : undefined} className={TAB_CLASS}>
                {label}
              </Link>
            ))}
          </Tabs>
          <Form id={id} how={how} version={known} />
        </>
      )}
    </QueryView>
  )
}

function Form({ id, how, version }: { id: string; how: string | undefined; version: Schemas['Version'] }) {
  const file = how === 'raw' || how === 'envelope' || how === 'screenshot' ? version[how] : version.text
  if (file.state !== 'stored') return <EmptyState title={`Not available: ${file.state}.`}>{file.why}</EmptyState>
  if (how === 'raw') return <SandboxedFrame path={`/api/v1/versions/${id}/raw`} title="Original page" type={file.content_type} />
  if (how === 'screenshot') return <Screenshot id={id} />
  return how === 'envelope' ? <Envelope id={id} /> : <Text id={id} plain={how === 'markdown'} />
}

function facts(version: Schemas['Version']) {
  return [
    ['Captured', <Time key="at" at={version.captured_at} />],
    ['Change', version.change_type],
    ['Title', version.title],
    ['Published', version.published],
    ['Effective', version.effective],
    ['Not read', version.unread_pages.length > 0 && `Pages ${version.unread_pages.join(', ')} of this PDF are pictures. The text and every comparison leave them out: read them in the original.`],
    ['Publisher version', version.publisher_version],
    ['Tier', version.tier],
    ['Converter', version.converter_version],
    ['Content hash', <code key="hash">{version.content_hash}</code>],
    ['Screenshot hash', version.screenshot_hash && <code key="picture">{version.screenshot_hash}</code>],
    ['Browser', version.steps.length > 0 && <Steps key="steps" steps={version.steps} />],
    ['Last confirmed', <Time key="confirmed" at={version.last_confirmed_at} />],
    ['Replaced', version.replaced_at && <Time key="replaced" at={version.replaced_at} />],
    ['Final URL', version.final_url && version.final_url !== version.url && <SafeLink key="final" url={version.final_url} />],
    [`Citations (${version.citations_in_all})`, version.citations.length > 0 && <Citations key="citations" all={version.citations} />],
  ] as const
}

function Screenshot({ id }: { id: string }) {
  const path = `/api/v1/versions/${id}/screenshot` as const
  return (
    <>
      <p className="mb-2 text-sm text-quiet">
        As the browser read it: without prompts for consent, and without pictures and fonts, which are not loaded.{' '}
        <FileLink path={path} download className="text-accent underline">
          Download
        </FileLink>
      </p>
      <img src={path} alt="The page as the browser read it" className="w-full rounded-md border" />
    </>
  )
}

function Citations({ all }: { all: readonly Schemas['Cited'][] }) {
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1">
      {all.map((one, place) => (
        <li key={place}>
          <SafeLink url={one.target}>{one.canonical || one.text}</SafeLink>
          {one.times > 1 && <span className="text-quiet"> ×{one.times}</span>}
        </li>
      ))}
    </ul>
  )
}

function Text({ id, plain }: { id: string; plain: boolean }) {
  const text = useQuery(markdownQuery(id))
  return (
    <QueryView query={text} what="the text">
      {(known) => (plain ? <PlainText text={known} label="Markdown" /> : <RenderedText text={known} />)}
    </QueryView>
  )
}

function Envelope({ id }: { id: string }) {
  const envelope = useQuery({
    queryKey: ['version', id, 'envelope'],
    queryFn: ({ signal }) => unwrap(api.GET('/api/v1/versions/{version_id}/envelope', { params: { path: { version_id: id } }, signal })),
  })
  return (
    <QueryView query={envelope} what="the envelope">
      {(known) => (
        <>
          <p className="mb-2 text-sm">
            <FileLink path={`/api/v1/versions/${id}/envelope`} download className="text-accent underline">
              Download
            </FileLink>
          </p>
          <PlainText text={JSON.stringify(known, null, 2)} label="Envelope" />
        </>
      )}
    </QueryView>
  )
}
