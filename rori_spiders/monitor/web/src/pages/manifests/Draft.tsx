import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { unwrap, api } from '@/api/client'
import { Button } from '@/components/forms/Button'
import { Field } from '@/components/forms/Field'
import { ErrorMessage } from '@/components/feedback/states'
import { FileDrop } from '@/pages/manifests/editor/FileDrop'
import { Editor, goTo } from '@/pages/manifests/editor/Editor'
import { nameOf, yamlEnding } from '@/pages/manifests/editor/positions'
import { Problems } from '@/pages/manifests/editor/Problems'
import { CheckResult } from './CheckResult'

/** A manifest that is not active yet: its text, what is wrong in it, and what it would change. */
export function Draft() {
  const area = useRef<HTMLTextAreaElement>(null)
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const [ending, setEnding] = useState('') // of the file: the name is shown without it
  const check = useMutation({
    mutationFn: (draft: { name: string; text: string }) => unwrap(api.POST('/api/v1/manifests/check', { body: draft })),
  })
  const change = (named: string, written: string) => {
    setName(named)
    setText(written)
    if (/^\s*[{[]/.test(written)) setEnding('') // JSON was put in the place of what the file had
    check.reset()
  }
  const checked = check.data
  const problems = checked?.problems ?? []
  const marked = new Map(problems.flatMap(({ line, column }) => (line === null ? [] : [[line, column ?? 1] as const])).reverse())
  return (
    <>
      {/* What was found stands behind the form: its dialogs have forms of their own. */}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          check.mutate({ name: name + ending, text })
        }}
      >
        <div className="max-w-sm">
          <Field label="Name" required value={name} maxLength={200} hint="File name without extension. Replaces the active version with this name." onChange={(event) => change(event.target.value, text)} />
        </div>
        <FileDrop
          take={(file, read) => {
            change(nameOf(file), read)
            setEnding(yamlEnding(file))
            check.mutate({ name: file, text: read })
          }}
        >
          <Editor area={area} text={text} write={(written) => change(name, written)} marked={marked} />
        </FileDrop>
        <p id="manifest-keys" className="mt-1 text-xs text-quiet">
          After a check, F8 goes to the next problem and Shift+F8 to the previous one.
        </p>
        <Button type="submit" kind="main" className="mt-2" disabled={check.isPending || !name || !text.trim()}>
          {check.isPending ? 'Checking …' : 'Check'}
        </Button>
      </form>
      {check.isError && <ErrorMessage error={check.error} />}
      {problems.length > 0 && <Problems problems={problems} inAll={checked?.problems_in_all ?? 0} go={({ line, column }) => goTo(area.current, line ?? 1, column ?? 1)} />}
      {checked && problems.length === 0 && <CheckResult draft={{ name: name + ending, text }} checked={checked} />}
    </>
  )
}
