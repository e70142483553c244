import { FileLink } from '@/components/data/SafeLink'

const SHOWN = /^(text\/|application\/(xhtml\+xml|xml|json))/i

/** Bytes from a server in a frame that may do nothing: no script, no form, no request, no way out. */
export function SandboxedFrame({ path, title, type }: { path: `/api/v1/${string}`; title: string; type: string | null | undefined }) {
  const shown = SHOWN.test(type ?? '')
  return (
    <>
      <p className="mb-2 text-sm text-quiet">
        {shown ? 'Shown without scripts and without external styles and images.' : `Preview not available (${type ?? 'unknown type'}).`}{' '}
        <FileLink path={path} download className="text-accent underline">
          Download
        </FileLink>
      </p>
      {shown && <iframe sandbox="" src={path} title={title} referrerPolicy="no-referrer" className="h-[60vh] w-full rounded-md border bg-sheet [color-scheme:light]" />}
    </>
  )
}
