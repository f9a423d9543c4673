# A guest that uses all its memory and then does nothing: a boot sector that writes to each page above the first
# MiB, in protected mode. The BIOS tells how much is above 16 MiB, in blocks of 64 KiB.
.code16
.globl _start
_start:
  cli
  xorw %ax, %ax
  movw %ax, %ds
  movw $0xe801, %ax
  int $0x15
  movzwl %bx, %ebp
  shll $16, %ebp
  addl $0x1000000, %ebp
  lgdt gdtr
  movl %cr0, %eax
  orb $1, %al
  movl %eax, %cr0
  ljmp $8, $protected
.code32
protected:
  movw $16, %ax
  movw %ax, %ds
  movl $0x100000, %edi
touch:
  movl %edi, (%edi)
  addl $4096, %edi
  cmpl %ebp, %edi
  jb touch
stop:
  hlt
  jmp stop
gdt:
  .quad 0
  .quad 0x00cf9a000000ffff
  .quad 0x00cf92000000ffff
gdtr:
  .word 23
  .long gdt
  .org 510
  .word 0xaa55
