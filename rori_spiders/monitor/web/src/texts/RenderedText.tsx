import { lazy, Suspense } from 'react'
import { Loading } from '@/components/feedback/states'

const MarkdownView = lazy(() => import('@/texts/MarkdownView').then(({ MarkdownView: view }) => ({ default: view })))

/** A markdown text as a reader sees it, on a card. */
export function RenderedText({ text }: { text: string }) {
  return (
    <Suspense fallback={<Loading what="the text" />}>
      <div className="rounded-lg border bg-card p-4">
        <MarkdownView text={text} />
      </div>
    </Suspense>
  )
}
