/** The name, with its sign: a waybill with its tick. */
import logo from '../logo.svg'

export function Logo() {
  return (
    <span class="logo">
      <img src={logo} alt="" width="28" height="28" />
      Waybill
    </span>
  )
}
