import { useState } from 'react'

const KEY = 'theme'
const NAMES = ['system', 'light', 'dark'] as const
export type Theme = (typeof NAMES)[number]

function kept(): Theme {
  return NAMES.find((name) => name === localStorage.getItem(KEY)) ?? 'system'
}

export function applyTheme(theme: Theme = kept()): void {
  if (theme === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme
}

/** Light, dark, or as the system has it; kept in this browser. */
export function ThemeSwitch() {
  const [theme, setTheme] = useState(kept)
  const choose = (chosen: Theme) => {
    localStorage.setItem(KEY, chosen)
    applyTheme(chosen)
    setTheme(chosen)
  }
  return (
    <label className="flex items-center gap-1">
      <span className="sr-only">Theme</span>
      <select
        value={theme}
        onChange={(event) => choose(event.target.value as Theme)}
        className="rounded-md border border-edge bg-card px-1.5 py-1 text-sm"
      >
        <option value="system">Theme: System</option>
        <option value="light">Theme: Light</option>
        <option value="dark">Theme: Dark</option>
      </select>
    </label>
  )
}
