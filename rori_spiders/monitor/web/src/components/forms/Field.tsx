import { useId, type InputHTMLAttributes } from 'react'

type Given = { label: string; hint?: string } & InputHTMLAttributes<HTMLInputElement>

/** A labelled line to type into. */
export function Field({ label, hint, ...rest }: Given) {
  const id = useId()
  return (
    <div className="mb-3 grid gap-1 text-sm">
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input id={id} aria-describedby={hint ? `${id}-hint` : undefined} className="min-h-9 w-full rounded-md border border-edge bg-card px-2 py-1" {...rest} />
      {hint && (
        <p id={`${id}-hint`} className="text-quiet">
          {hint}
        </p>
      )}
    </div>
  )
}
