import { Card } from '@/components/layout/Card'
import { PlainText } from '@/texts/PlainText'
import type { PageDetail } from '@/pages/corpus/types'

/** What rules took out of the text, what a model left out of it and was refused, and all that was said. */
export function Removals({ page }: { page: PageDetail }) {
  const cleaning = asRecord(page.cleaning)
  return (
    <>
      <Card title="Removed by rules">
        <Listed given={page.removals} nothing="The rules removed nothing." />
      </Card>
      {page.cleaning !== null && page.cleaning !== undefined && (
        <>
          <Card title="Removed by the model">
            <Listed given={cleaning.removed} nothing="The model removed nothing." />
          </Card>
          <Card title="Rejected model edits">
            <Listed given={[...asList(cleaning.failures), ...asList(cleaning.refusals)]} nothing="No edits were rejected." />
          </Card>
          <Card title="Model log">
            <PlainText text={JSON.stringify(page.cleaning, null, 2)} label="Model requests and responses" />
          </Card>
        </>
      )}
    </>
  )
}

/** A list of things with a rule and a text each, as its writer has named them. */
function Listed({ given, nothing }: { given: unknown; nothing: string }) {
  const listed = asList(given)
  if (!listed.length) return <p className="text-sm text-quiet">{nothing}</p>
  return (
    <ul className="grid gap-2 text-sm">
      {listed.map((one, place) => (
        <li key={place} className="rounded-md border px-3 py-2">
          {Object.entries(asRecord(one)).filter(([, value]) => value !== null).map(([name, value]) => (
            <div key={name} className="grid gap-x-3 md:grid-cols-[10rem_1fr]">
              <span className="text-quiet">{name.replaceAll('_', ' ')}</span>
              <span className="whitespace-pre-wrap [overflow-wrap:anywhere]">{typeof value === 'string' ? value : JSON.stringify(value)}</span>
            </div>
          ))}
        </li>
      ))}
    </ul>
  )
}

function asList(given: unknown): unknown[] {
  return Array.isArray(given) ? given : []
}

function asRecord(one: unknown): Record<string, unknown> {
  return typeof one === 'object' && one !== null ? (one as Record<string, unknown>) : { text: one }
}
