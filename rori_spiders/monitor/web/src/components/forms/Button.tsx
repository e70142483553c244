import type { ButtonHTMLAttributes } from 'react'

type Kind = 'plain' | 'main' | 'danger'

const LOOKS: Record<Kind, string> = {
  plain: 'border-edge bg-card hover:bg-raised',
  main: 'border-accent bg-accent text-on-accent hover:opacity-90',
  danger: 'border-bad bg-bad-ground text-bad hover:opacity-90',
}

/** The look of a button, for a link that is to look like one. */
export function buttonClass(kind: Kind = 'plain'): string {
  return `inline-flex min-h-8 items-center gap-1.5 rounded-md border px-3 py-1 text-sm font-medium whitespace-nowrap disabled:cursor-not-allowed disabled:opacity-60 aria-disabled:cursor-not-allowed aria-disabled:opacity-60 ${LOOKS[kind]}`
}

export function Button({ kind = 'plain', className = '', ...rest }: ButtonHTMLAttributes<HTMLButtonElement> & { kind?: Kind }) {
  return <button type="button" className={`${buttonClass(kind)} ${className}`} {...rest} />
}
