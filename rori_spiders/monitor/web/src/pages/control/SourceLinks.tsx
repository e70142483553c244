import { Link } from '@tanstack/react-router'

const SHOWN = 3

/** Sources by their ids, each a link; of many the first few. */
export function SourceLinks({ ids }: { ids: readonly string[] }) {
  const more = ids.length - SHOWN
  return (
    <span className="[overflow-wrap:anywhere]">
      {ids.slice(0, SHOWN).map((id, place) => (
        <span key={id}>
          {place > 0 && ', '}
          <Link to="/sources/$id" params={{ id }} className="text-accent underline">
            {id}
          </Link>
        </span>
      ))}
      {more > 0 && <span title={ids.slice(SHOWN).join(', ')}> and {more.toLocaleString()} more</span>}
    </span>
  )
}
