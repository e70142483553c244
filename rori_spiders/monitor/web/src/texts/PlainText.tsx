/** A text as it is, letter by letter, in a frame of its own. */
export function PlainText({ text, label }: { text: string; label: string }) {
  return (
    // A long text scrolls in its own frame, which the keyboard reaches.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre role="region" aria-label={label} tabIndex={0} className="max-h-[75vh] overflow-auto rounded-md border bg-card p-3 text-xs leading-5 whitespace-pre-wrap [overflow-wrap:anywhere]">
      {text}
    </pre>
  )
}
