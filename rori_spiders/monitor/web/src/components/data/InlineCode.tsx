/** A sentence of the collector's own: what stands between backticks in it is to be typed, or a name. */
export function InlineCode({ text }: { text: string }) {
  return text.split(/`([^`\n]+)`/).map((part, place) =>
    place % 2 ? (
      <code key={place} className="rounded bg-raised px-1 text-[0.95em]">
        {part}
      </code>
    ) : (
      part
    ),
  )
}
