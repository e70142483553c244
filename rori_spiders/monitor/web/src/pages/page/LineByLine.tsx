import { useQuery } from '@tanstack/react-query'
import { QueryView } from '@/components/feedback/QueryView'
import { TextDifference } from '@/texts/TextDifference'
import { markdownQuery } from './queries'

/** The markdown of two versions, line by line. */
export function LineByLine({ from, to }: { from: string; to: string }) {
  const [before, after] = [useQuery(markdownQuery(from)), useQuery(markdownQuery(to))]
  return (
    <QueryView query={before} what="the older version">
      {(old) => (
        <QueryView query={after} what="the newer version">
          {(now) => <TextDifference before={old} after={now} />}
        </QueryView>
      )}
    </QueryView>
  )
}
