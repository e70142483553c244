import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import { Button } from '@/components/forms/Button'
import { showToast } from '@/components/feedback/Toast'

const MOST_BYTES = 5_000_000

/** Around the editor: a file may be dropped on it, or chosen. */
export function FileDrop({ take, children }: { take: (file: string, text: string) => void; children: ReactNode }) {
  const chosen = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const read = async (file: File | undefined) => {
    if (!file) return
    if (file.size > MOST_BYTES) showToast(`${file.name} is larger than 5 MB, the limit for manifests.`, { bad: true })
    else take(file.name, await file.text())
  }
  const dropped = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void read(event.dataTransfer.files[0])
  }
  return (
    // Dropping is for the mouse alone; the button in it does the same by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="group"
      aria-label="Manifest editor"
      className={over ? 'rounded-md outline-2 outline-offset-4 outline-accent outline-dashed' : ''}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={dropped}
    >
      <div className="mb-2 flex flex-wrap items-center gap-3 text-sm">
        <Button onClick={() => chosen.current?.click()}>Choose file</Button>
        <span className="text-quiet">JSON or YAML. You can also drop a file here or paste its text.</span>
        <input
          ref={chosen}
          type="file"
          accept=".json,.yaml,.yml,application/json,application/yaml"
          aria-label="Manifest file"
          hidden
          onChange={(event) => {
            void read(event.target.files?.[0])
            event.target.value = ''
          }}
        />
      </div>
      {children}
    </div>
  )
}
