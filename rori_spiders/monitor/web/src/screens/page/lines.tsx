import { useQuery } from '@tanstack/react-query'
import { Loaded } from '@/parts/loaded'
import { TextDifference } from '@/texts/difference'
import { markdownQuery } from './markdown'

/** The markdown of two versions, line by line. */
export function LineByLine({ from, to }: { from: string; to: string }) {
  const [before, after] = [useQuery(markdownQuery(from)), useQuery(markdownQuery(to))]
  return (
    <Loaded query={before} what="the version before">
      {(old) => (
        <Loaded query={after} what="the version after">
          {(now) => <TextDifference before={old} after={now} />}
        </Loaded>
      )}
    </Loaded>
  )
}
