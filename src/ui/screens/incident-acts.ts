/** Lists the actions on an incident, the one that helps best first. A READER has none. */
import { Check, KeyRound, Radio, RotateCcw } from 'lucide-preact'
import type { MenuItem } from '../parts/menu.tsx'
import { useProblemText } from '../parts/problem-text.ts'
import { askBulk } from '../state/bulk.ts'
import { changeIncidents, type IncidentChange, type IncidentHelp } from '../state/incidents.ts'
import { links, linkTo } from '../state/location.ts'
import { mayChange } from '../state/session.ts'
import { showToast } from '../state/toasts.ts'
import { useTexts } from '../texts/texts.ts'

export interface IncidentAct extends MenuItem {
  /** Name by which keys find the button. */
  readonly name: 'again' | 'acknowledge' | 'help'
}

/** Returns the actions that help, of those that need no form. */
export function useHelp(id: number, actions: readonly IncidentHelp[]): readonly IncidentAct[] {
  const t = useTexts('alerts')
  const devices = useTexts('devices')
  const device = useTexts('device')
  return actions.flatMap(({ action, count, deviseId }): readonly IncidentAct[] => {
    const again = { name: 'again', icon: RotateCcw } as const
    const messages = { filter: { incident: id } }
    switch (action) {
      case 'RESEND':
        return [{ ...again, label: t.sendAgain(count), run: () => askBulk({ action: 'RESEND', messages }) }]
      case 'REPLAY':
        return [{ ...again, label: t.replay(count), run: () => askBulk({ action: 'REPLAY', messages }) }]
      case 'OPEN_DEVICE':
        return [{ name: 'help', label: devices.toDevice, icon: Radio, link: links.device(deviseId ?? '') }]
      case 'PASSWORD': {
        const link = linkTo('/access/devices', { open: deviseId ?? '' })
        return [{ name: 'help', label: device.newPassword, icon: KeyRound, link }]
      }
      case 'SERVICE':
        return []
      default:
        return action satisfies never
    }
  })
}

/** Returns the actions on an incident of the overview. @param onChange called after an action that changes the incident */
export function useIncidentActs(
  id: number,
  actions: readonly IncidentHelp[],
  onChange: () => void,
): readonly IncidentAct[] {
  const t = useTexts('alerts')
  const common = useTexts('common')
  const problemOf = useProblemText()
  const help = useHelp(id, actions)
  async function change(to: IncidentChange): Promise<boolean> {
    try {
      return (await changeIncidents([id], to)) > 0
    } catch (error) {
      showToast({ text: problemOf(error), tone: 'bad' })
      return false
    } finally {
      onChange()
    }
  }
  async function acknowledge(): Promise<void> {
    if (!(await change({ is: 'acknowledge', note: null }))) return
    const undo = { label: common.undo, run: () => void change({ is: 'reopen' }) }
    showToast({ text: t.acknowledgedToast, action: undo })
  }
  const accept = { name: 'acknowledge', label: t.acknowledge, icon: Check, run: acknowledge } as const
  return mayChange.value ? [...help.slice(0, 1), accept, ...help.slice(1)] : []
}
