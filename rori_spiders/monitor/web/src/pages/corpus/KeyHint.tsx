/** The key that does the same as the button it stands in; a telephone has none. */
export function KeyHint({ name }: { name: string }) {
  return (
    <kbd aria-hidden="true" className="rounded border border-current px-1 text-xs leading-4 max-md:hidden">
      {name}
    </kbd>
  )
}
